package io.pigeonhole.sqs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/** What SQS takes for text: that of XML, without the carriage return, which not every way to it leaves alone. */
final class SqsText {
    private SqsText() {}

    /** The text of bytes, or null where SQS would not deliver the same bytes. */
    static @Nullable String of(byte[] bytes) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.chars().allMatch(SqsText::isTaken) ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isTaken(int c) {
        return c == '\t' || c == '\n' || (c >= ' ' && c < 0xFFFE);
    }
}

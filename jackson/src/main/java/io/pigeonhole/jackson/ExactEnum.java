package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.deser.jdk.EnumDeserializer;
import tools.jackson.databind.util.CompactStringObjectMap;

/** An enum is read from one of its names, without blanks around it that do not belong to the name. */
final class ExactEnum extends EnumDeserializer {
    ExactEnum(EnumDeserializer base) {
        this(base, false, null, null, false);
    }

    private ExactEnum(
            EnumDeserializer base,
            boolean ignoresCase,
            @Nullable Boolean unknownIsDefault,
            @Nullable Boolean unknownIsNull,
            boolean readsIndex) {
        super(base, ignoresCase, unknownIsDefault, unknownIsNull, readsIndex);
    }

    @Override
    public EnumDeserializer withResolved(
            @Nullable Boolean ignoresCase,
            @Nullable Boolean unknownIsDefault,
            @Nullable Boolean unknownIsNull,
            boolean readsIndex) {
        return new ExactEnum(this, Boolean.TRUE.equals(ignoresCase), unknownIsDefault, unknownIsNull, readsIndex);
    }

    @Override
    protected @Nullable Object _fromString(JsonParser parser, DeserializationContext context, String text) {
        String trimmed = text.trim();
        if (trimmed.length() != text.length()) {
            CompactStringObjectMap names = names(context);
            if (names.find(text) == null && isName(trimmed, names)) {
                Blanks.requireNone(parser, handledType());
            }
        }
        Object read = super._fromString(parser, context, text);
        if ((read == null || read == getEmptyValue(context)) && !isName(trimmed, names(context))) {
            SetElements.readUnknown(context, text);
        }
        return read;
    }

    private boolean isName(String text, CompactStringObjectMap names) {
        return (_caseInsensitive ? names.findCaseInsensitive(text) : names.find(text)) != null;
    }

    /** Those that Jackson reads this enum by. */
    private CompactStringObjectMap names(DeserializationContext context) {
        if (_lookupByEnumNaming != null) {
            return _lookupByEnumNaming;
        }
        return !_hasAsValueAnnotation && context.isEnabled(EnumFeature.READ_ENUMS_USING_TO_STRING)
                ? _lookupByToString
                : _lookupByName;
    }
}

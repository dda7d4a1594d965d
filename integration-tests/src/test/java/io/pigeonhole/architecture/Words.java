package io.pigeonhole.architecture;

import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Words that only we would understand, for which the field has one of its own. Neither public names nor guides have them. */
final class Words {
    /** In names as in sentences: {@code lostTwin} has the first one, too. */
    static final List<String> OURS = List.of(
            "twins?",
            "bury|buries|buried|burials?",
            "graves?|graveyards?",
            "errands?",
            "desks?",
            "keepsakes?",
            "consignments?",
            "announcers?",
            "bets?",
            "patience",
            "(?<!round[ -])trips?",
            "lanes?",
            "horizons?",
            "told as",
            "tells? (?:(?:it|them) )?as",
            "troubles? of the database",
            "nobody's (?:failure|fault)");

    /** As they stand. */
    static final List<String> OUR_NAMES = List.of(
            "evenThoughTheyRanBefore",
            "handleAll",
            "deadAgain|\\w*DeadAgain",
            "STAYS_DEAD",
            "PAST_DEAD_LETTERS",
            "BEHIND_DEAD_LETTERS");

    private static final Pattern IN_SENTENCES = anyOf(OURS);
    private static final Pattern IN_CODE = anyOf(OUR_NAMES);
    private static final Pattern LINK = Pattern.compile("\\]\\([^)]*\\)");
    private static final Pattern BETWEEN_WORDS = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_|\\s+");

    private Words() {}

    /** What is found in a name or in a text; the addresses of links are left out, because file names stay. */
    static List<String> in(String text) {
        String read = LINK.matcher(text).replaceAll("]");
        String words = BETWEEN_WORDS.matcher(read).replaceAll(" ").toLowerCase(Locale.ROOT);
        return Stream.concat(
                        IN_SENTENCES.matcher(words).results(),
                        IN_CODE.matcher(read).results())
                .map(MatchResult::group)
                .toList();
    }

    private static Pattern anyOf(List<String> words) {
        return Pattern.compile("\\b(?:" + String.join("|", words) + ")\\b");
    }
}

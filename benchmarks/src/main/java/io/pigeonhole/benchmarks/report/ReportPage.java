package io.pigeonhole.benchmarks.report;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown page with sections that are made from results, between marks that have a line each. What stands outside of them
 * stays as it is.
 */
final class ReportPage {
    private static final Pattern NEXT_MARK = Pattern.compile("^<!-- (end|report: .*) -->$", Pattern.MULTILINE);

    private final String text;

    ReportPage(String text) {
        this.text = text;
    }

    /**
     * The page with another section.
     *
     * @param name the section's name in its first mark, {@code <!-- report: NAME -->}
     * @param content its content, with a line break at its end
     * @throws IllegalArgumentException if the page has not exactly one section of this name, or no end of it
     */
    ReportPage with(String name, String content) {
        String mark = "<!-- report: " + name + " -->";
        Matcher begin = Pattern.compile("^" + Pattern.quote(mark) + "$", Pattern.MULTILINE)
                .matcher(text);
        if (!begin.find()) {
            throw new IllegalArgumentException("the page has no line " + mark);
        }
        int from = begin.end();
        if (begin.find()) {
            throw new IllegalArgumentException("the page has " + mark + " twice");
        }
        Matcher next = NEXT_MARK.matcher(text);
        if (!next.find(from) || !next.group(1).equals("end")) {
            throw new IllegalArgumentException("the page has no line <!-- end --> behind " + mark);
        }
        return new ReportPage(text.substring(0, from) + "\n\n" + content + "\n" + text.substring(next.start()));
    }

    String text() {
        return text;
    }
}

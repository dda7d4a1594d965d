package io.pigeonhole.http;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** What was observed, line by line and profile by profile, as the page that is published. */
final class ConformanceTable {
    private final Map<String, Map<IdempotencyProfile, String>> cells = new ConcurrentHashMap<>();

    /** The lines, in their order. */
    static final Map<String, String> LINES = lines();

    private static Map<String, String> lines() {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(
                "H01",
                "The header is a string of structured fields or a bare key, and both are equal; what cannot be a key is refused");
        lines.put("H02", "A request without a key");
        lines.put("H03", "Key, business change and response are one transaction; a rollback takes the key along");
        lines.put(
                "H04", "A retry gets the same status, bytes and headers; `Set-Cookie` and `Date` are not given again");
        lines.put("H05", "A request while the first one is handled; waiting for it is an option");
        lines.put("H06", "The key with another request");
        lines.put(
                "H07",
                "What is compared: method, path, query, chosen headers, body; JSON in any spelling as an option");
        lines.put("H08", "Keys of two users know nothing of each other; without a user none is taken");
        lines.put("H09", "Who may not send the request any more is not given the response");
        lines.put("H10", "401, 403, 405, 415, 429, 503, and errors from before the application begins, are not stored");
        lines.put("H11", "An error of the client that the application answers (402)");
        lines.put("H12", "An exception: what was written is rolled back");
        lines.put("H13", "The process is killed before the commit, and behind it");
        lines.put(
                "H14",
                "Work with effects elsewhere goes on at its last step, with the same key for the other system; a lease that ran out fences");
        lines.put("H15", "A key whose time is over is new; what is in work is not deleted");
        lines.put("H16", "Methods for which keys count");
        lines.put("H17", "A response that is too large to be stored; 202 with `Location` is stored");
        lines.put("H18", "The client goes away in the middle: the request is handled and stored");
        lines.put("H19", "64 identical requests over three nodes with ten connections each");
        lines.put("H20", "Errors are `application/problem+json`; browsers may read `Idempotent-Replayed`");
        lines.put("H21", "Any bytes come back as they were: NUL, what is no UTF-8, gzip");
        lines.put("H22", "The clock is the database's");
        lines.put("H23", "Bodies can be encrypted; administrators see headers only");
        lines.put("H24", "The handler has the context of the inbox; asynchronous servlets are refused");
        return lines;
    }

    /** Notes what a profile does. */
    void note(String line, IdempotencyProfile profile, String cell) {
        cells.computeIfAbsent(line, each -> new ConcurrentHashMap<>()).put(profile, cell);
    }

    boolean isComplete() {
        return LINES.keySet().stream()
                .allMatch(line -> cells.getOrDefault(line, Map.of()).size() == IdempotencyProfile.values().length);
    }

    /** The rows. */
    String markdown() {
        return LINES.entrySet().stream()
                .map(line -> "| " + line.getKey() + " | " + line.getValue() + " | "
                        + Arrays.stream(IdempotencyProfile.values())
                                .map(profile -> cells.getOrDefault(line.getKey(), Map.of())
                                        .getOrDefault(profile, "**failed**"))
                                .collect(Collectors.joining(" | "))
                        + " |\n")
                .collect(Collectors.joining());
    }
}

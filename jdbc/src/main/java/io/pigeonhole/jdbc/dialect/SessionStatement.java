package io.pigeonhole.jdbc.dialect;

/**
 * A statement of several steps, which costs the server more to parse than to execute: each session parses it once, under a name, and
 * executes it by that name from then on.
 *
 * @param setting what stands before each execution, with a space behind it; empty for nothing
 * @param text with a question mark for each value
 */
public record SessionStatement(String setting, String text) {}

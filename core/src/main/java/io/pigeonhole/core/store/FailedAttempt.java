package io.pigeonhole.core.store;

import java.time.Duration;

/**
 * What is remembered of an attempt that failed. The texts hold no NUL and no broken characters and are bounded.
 *
 * @param number which attempt it was, from 1
 * @param node the node that it ran on
 * @param duration how long it ran
 * @param errorClass the name of the exception's class
 * @param message the exception's text
 * @param stack its stack trace
 */
public record FailedAttempt(
        int number, String node, Duration duration, String errorClass, String message, String stack) {}

/** The SQS source against a real server. */
@NullMarked
package io.pigeonhole.sqs;

import org.jspecify.annotations.NullMarked;

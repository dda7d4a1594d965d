/** A source for Amazon SQS. */
@NullMarked
package io.pigeonhole.sqs;

import org.jspecify.annotations.NullMarked;

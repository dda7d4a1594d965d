@NullMarked
package io.pigeonhole.peers;

import org.jspecify.annotations.NullMarked;

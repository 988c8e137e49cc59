/**
 * Queue systems behind one small interface, each configured as its own documentation advises for a
 * durable queue inside an application.
 *
 * <p>May import: River's public API, the peers.
 */
@NullMarked
package com.wookler.river.benchmarks.system;

import org.jspecify.annotations.NullMarked;

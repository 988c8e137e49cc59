/**
 * Command line tools for queues and backups on disk. Each command is a class that calls {@code
 * core.inspect}; {@code replay} publishes through {@code core} like any publisher.
 *
 * <p>Allowed imports: {@code core}, {@code core.inspect}, {@code core.message}, {@code
 * core.subscriber}, {@code CheckedJson} of {@code core.log}, {@code common}.
 */
@NullMarked
package com.wookler.river.tools;

import org.jspecify.annotations.NullMarked;

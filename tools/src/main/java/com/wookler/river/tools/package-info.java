/**
 * Command line tools for queues and backups on disk. Each command is a class that calls {@code
 * tools.inspect}; {@code replay} publishes through {@code core} like any publisher.
 *
 * <p>Allowed imports: {@code core}, {@code tools.inspect}, {@code core.message}, {@code
 * core.subscriber}, {@code CheckedJson} of {@code common.file}, {@code common}.
 */
@NullMarked
package com.wookler.river.tools;

import org.jspecify.annotations.NullMarked;

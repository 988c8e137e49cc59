/**
 * Commands over queues and backups on disk: a class a command, each thin over {@code core.inspect};
 * replaying goes through {@code core} like any publisher.
 *
 * <p>Allowed imports: {@code core}, {@code core.inspect}, {@code core.message}, {@code
 * core.subscriber}, {@code CheckedJson} of {@code core.log}, {@code common}.
 */
@NullMarked
package com.wookler.river.tools;

import org.jspecify.annotations.NullMarked;

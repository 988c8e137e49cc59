/**
 * Expressions over key, headers and JSON fields that say which messages are wanted. The only
 * package that sees JEXL, which is an optional dependency.
 *
 * <p>Allowed imports: {@code core.message}, {@code common}.
 */
@NullMarked
package com.wookler.river.core.filter;

import org.jspecify.annotations.NullMarked;

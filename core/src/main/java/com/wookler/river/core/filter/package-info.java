/**
 * Expressions over key, headers and JSON fields that say which messages are wanted. The only
 * package that sees JEXL and RE2/J, which are optional dependencies.
 *
 * <p>Allowed imports: {@code core.message}, {@code common}.
 */
@NullMarked
package com.wookler.river.core.filter;

import org.jspecify.annotations.NullMarked;

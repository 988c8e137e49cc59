/**
 * Evaluates filter expressions over key, headers and JSON fields; core finds it as a {@link
 * com.wookler.river.core.subscriber.FilterLanguage}. The only package that sees JEXL and RE2/J.
 *
 * <p>Allowed imports: {@code core.subscriber}, {@code common.errors}.
 */
@NullMarked
package com.wookler.river.filter;

import org.jspecify.annotations.NullMarked;

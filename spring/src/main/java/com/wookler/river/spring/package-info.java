/**
 * River in a Spring application: listeners, a template and queues as beans, and what a Spring Boot
 * starter needs for them.
 *
 * <p>May import {@code core}, {@code core.subscriber}, {@code core.message}, {@code reactor} and
 * {@code common}; of Spring Boot what its versions 3 and 4 have in common.
 */
@NullMarked
package com.wookler.river.spring;

import org.jspecify.annotations.NullMarked;

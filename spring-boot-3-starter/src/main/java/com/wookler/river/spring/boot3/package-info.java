/**
 * The part of the Spring Boot 3 starter that differs from the other starter's: the health
 * indicator.
 *
 * <p>May import {@code spring}.
 */
@NullMarked
package com.wookler.river.spring.boot3;

import org.jspecify.annotations.NullMarked;

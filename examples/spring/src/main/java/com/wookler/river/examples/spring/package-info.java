/** A Spring Boot application with a queue and a listener. May import {@code spring}. */
@NullMarked
package com.wookler.river.examples.spring;

import org.jspecify.annotations.NullMarked;

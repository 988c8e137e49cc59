/**
 * Tests of a Spring Boot application that have its listeners and queues, and nothing else of it.
 * Imports {@code spring} and the interfaces of {@code core} and {@code reactor} that an application
 * implements.
 */
@NullMarked
package com.wookler.river.spring.test;

import org.jspecify.annotations.NullMarked;

package com.wookler.river.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives tests of a class, or one test, queues and a clock as parameters: {@link TestQueue} and
 * {@link TestClock}, also of methods that run before and after each test. All of them are closed
 * and deleted after each test, which fails if a thread of theirs is left.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RiverTestExtension.class)
public @interface RiverTest {}

package com.wookler.river.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the queue of a {@link TestQueue} parameter, and says how it is configured. */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Queue {
  /** Returns its name. */
  String value();

  /** Returns how it is configured and converted; it has a constructor without parameters. */
  Class<? extends QueueSettings<?>> settings() default DefaultSettings.class;
}

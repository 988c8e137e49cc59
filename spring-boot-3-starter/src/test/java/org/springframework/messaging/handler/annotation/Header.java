package org.springframework.messaging.handler.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** As spring-messaging has it, which is not needed for tests otherwise. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Header {
  /** The name. */
  String name() default "";

  /** Whether it has to be there. */
  boolean required() default true;

  /** What counts where it is missing; this one says that there is none. */
  String defaultValue() default "\n\t\t\n\t\t\n\uE000\uE001\uE002\n\t\t\t\t\n";
}

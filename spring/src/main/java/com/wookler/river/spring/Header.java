package com.wookler.river.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Passes a header of the message to a parameter of a {@link RiverListener}: its bytes as a {@code
 * byte[]}, its text in UTF-8 as a {@code String}, or what Spring converts that text to. On a {@code
 * Map<String, byte[]>} without a name: all headers. The annotation of the same name in {@code
 * spring-messaging} does the same.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Header {
  /** The name of the header (default: that of the parameter). */
  @AliasFor("name")
  String value() default "";

  /** The name of the header (default: that of the parameter). */
  @AliasFor("value")
  String name() default "";

  /** Whether a message without the header fails; otherwise the parameter is null. */
  boolean required() default true;
}

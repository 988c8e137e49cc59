package com.wookler.river.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets faults come with deliveries of a test, each at a share of them, from a seed: the same seed,
 * the same faults. If the test fails, its trace is added to the failure. On a class it holds for
 * the tests of subclasses and {@code @Nested} classes too, unless they have one of their own.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Faults {
  /** Returns the seed. */
  long seed();

  /** Returns the share at which the handler throws before its work. */
  double throwBefore() default 0;

  /** Returns the share at which the handler throws after its work. */
  double throwAfter() default 0;

  /** Returns the share at which the acknowledgement is lost. */
  double loseAck() default 0;

  /** Returns the share at which the handler takes longer than its acknowledgement timeout. */
  double tooLate() default 0;

  /** Returns the share at which the process is killed before the acknowledgement. */
  double kill() default 0;

  /** Returns the share at which messages of different keys change places. */
  double reorder() default 0;

  /** Returns the share at which publishing is refused while the handler runs. */
  double diskFull() default 0;
}

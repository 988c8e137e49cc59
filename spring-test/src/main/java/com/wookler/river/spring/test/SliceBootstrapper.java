package com.wookler.river.spring.test;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Makes the context of a {@link SpringRiverTest}: that of Spring Boot's own tests, without what is
 * configured automatically.
 */
final class SliceBootstrapper extends SpringBootTestContextBootstrapper {
  private static final List<String> NOTHING_ELSE =
      List.of("spring.boot.enableautoconfiguration=false", "river.config=");

  /** Called by Spring. */
  SliceBootstrapper() {}

  @Override
  protected String[] getProperties(Class<?> testClass) {
    SpringRiverTest annotation = annotation(testClass);
    List<String> all = new ArrayList<>(NOTHING_ELSE);
    if (annotation != null) {
      all.addAll(List.of(annotation.properties())); // the later of two counts
    }
    return all.toArray(String[]::new);
  }

  static @Nullable SpringRiverTest annotation(Class<?> testClass) {
    return TestContextAnnotationUtils.findMergedAnnotation(testClass, SpringRiverTest.class);
  }
}

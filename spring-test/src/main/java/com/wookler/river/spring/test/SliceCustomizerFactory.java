package com.wookler.river.spring.test;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;

/** Found by Spring for all tests; changes the contexts of a {@link SpringRiverTest} only. */
final class SliceCustomizerFactory implements ContextCustomizerFactory {
  /** Called by Spring. */
  SliceCustomizerFactory() {}

  @Override
  public @Nullable ContextCustomizer createContextCustomizer(
      Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
    SpringRiverTest annotation = SliceBootstrapper.annotation(testClass);
    return annotation == null ? null : new SliceCustomizer(Set.of(annotation.listeners()));
  }
}

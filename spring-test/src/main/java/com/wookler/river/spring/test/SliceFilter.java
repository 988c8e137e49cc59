package com.wookler.river.spring.test;

import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.reactor.ProcessorInterceptor;
import com.wookler.river.spring.RiverConverters;
import com.wookler.river.spring.RiverListener;
import com.wookler.river.spring.RiverListenerCustomizer;
import com.wookler.river.spring.RiverQueueCustomizer;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.filter.AbstractTypeHierarchyTraversingFilter;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.core.type.filter.TypeFilter;

/** Excludes from a component scan what is neither a listener nor one of River's interfaces. */
final class SliceFilter extends TypeExcludeFilter {
  private static final List<TypeFilter> INTERFACES =
      Stream.of(
              RiverConverters.class,
              RiverQueueCustomizer.class,
              RiverListenerCustomizer.class,
              MessageConverter.class,
              PublishInterceptor.class,
              ProcessorInterceptor.class)
          .<TypeFilter>map(AssignableTypeFilter::new)
          .toList();
  private static final TypeFilter LISTENER = new ListenerFilter();

  private final Set<Class<?>> listeners;

  SliceFilter(Set<Class<?>> listeners) {
    this.listeners = listeners;
  }

  @Override
  public boolean match(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
    for (TypeFilter filter : INTERFACES) {
      if (filter.match(reader, factory)) {
        return false;
      }
    }
    if (!listeners.isEmpty()) {
      String name = reader.getClassMetadata().getClassName();
      return listeners.stream().noneMatch(each -> each.getName().equals(name));
    }
    return !LISTENER.match(reader, factory);
  }

  /** Spring compares the filters of equal contexts. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SliceFilter filter && filter.listeners.equals(listeners);
  }

  @Override
  public int hashCode() {
    return listeners.hashCode();
  }

  /** Matches classes that have a listener, or inherit one. */
  private static final class ListenerFilter extends AbstractTypeHierarchyTraversingFilter {
    ListenerFilter() {
      super(true, true);
    }

    @Override
    protected boolean matchSelf(MetadataReader reader) {
      return reader.getAnnotationMetadata().hasAnnotatedMethods(RiverListener.class.getName());
    }
  }
}

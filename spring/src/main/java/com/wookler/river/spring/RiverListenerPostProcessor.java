package com.wookler.river.spring;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds {@link RiverListener}s in beans, and hands them to {@link RiverListeners}. */
final class RiverListenerPostProcessor implements BeanPostProcessor, BeanFactoryAware {
  private final ObjectProvider<RiverListeners> listeners;
  private final Set<Class<?>> without = ConcurrentHashMap.newKeySet(); // classes that have none
  private @Nullable EmbeddedValueResolver resolver; // set before the first bean is made

  RiverListenerPostProcessor(ObjectProvider<RiverListeners> listeners) {
    this.listeners = listeners;
  }

  @Override
  public void setBeanFactory(BeanFactory factory) {
    if (factory instanceof ConfigurableBeanFactory configurable) {
      resolver = new EmbeddedValueResolver(configurable);
    }
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (ScopedProxyUtils.isScopedTarget(beanName)) {
      return bean; // its proxy is the listener, and calls it
    }
    Class<?> type = AopUtils.getTargetClass(bean);
    if (without.contains(type)) {
      return bean;
    }
    Map<Method, RiverListener> found = find(type);
    if (found.isEmpty()) {
      without.add(type);
    }
    found.forEach((method, annotation) -> add(bean, beanName, method, annotation));
    return bean;
  }

  /** Returns whether a class has a listener. */
  static boolean hasListener(Class<?> type) {
    return !find(type).isEmpty();
  }

  private static Map<Method, RiverListener> find(Class<?> type) {
    return AnnotationUtils.isCandidateClass(type, RiverListener.class)
        ? MethodIntrospector.selectMethods(type, RiverListenerPostProcessor::annotation)
        : Map.of();
  }

  private static @Nullable RiverListener annotation(Method method) {
    return AnnotatedElementUtils.findMergedAnnotation(method, RiverListener.class);
  }

  private void add(Object bean, String beanName, Method method, RiverListener annotation) {
    Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
    ListenerMethod listener = new ListenerMethod(bean, invocable, method, annotation.batch());
    String source = method.getDeclaringClass().getSimpleName() + "." + method.getName();
    String subscriber =
        (beanName + "." + method.getName()).replaceAll("[^A-Za-z0-9._-]", "_"); // what names allow
    listeners
        .getObject()
        .add(ListenerSettings.of(annotation, source, subscriber, this::resolve), listener);
  }

  private @Nullable String resolve(@Nullable String text) {
    return resolver == null || text == null ? text : resolver.resolveStringValue(text);
  }
}

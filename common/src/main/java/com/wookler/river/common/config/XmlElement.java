package com.wookler.river.common.config;

import java.util.List;
import java.util.Map;

/**
 * An element as it was read.
 *
 * @param name of the element
 * @param text directly in it, without surrounding white space; empty if there is none
 * @param attributes by name, in their order
 * @param children the elements in it
 * @param location where it starts, as "file:line"
 */
record XmlElement(
    String name,
    String text,
    Map<String, String> attributes,
    List<XmlElement> children,
    String location) {}

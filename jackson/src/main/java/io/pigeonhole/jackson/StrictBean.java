package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.bean.BeanAsArrayBuilderDeserializer;
import tools.jackson.databind.deser.bean.BeanAsArrayDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** A type that is read by its properties. Only where it is used does Jackson know whether they are in an array, or have names in any case. */
final class StrictBean extends DelegatingDeserializer {
    StrictBean(BeanDeserializerBase bean) {
        super(bean);
    }

    private StrictBean(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new StrictBean(delegate);
    }

    @Override
    public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        ValueDeserializer<?> contextual = context.handleSecondaryContextualization(
                getDelegatee(), property, context.constructType(handledType()));
        if (contextual instanceof BeanAsArrayDeserializer || contextual instanceof BeanAsArrayBuilderDeserializer) {
            return new PropertiesInArray((BeanDeserializerBase) contextual);
        }
        return contextual instanceof BeanDeserializerBase bean ? AliasedBean.of(bean, context.getConfig()) : contextual;
    }
}

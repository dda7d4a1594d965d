package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A type that is made of a single {@code double} or {@code BigDecimal}: the number is read as one that stands alone. Jackson would
 * make an infinity or a zero of it, and round the {@code BigDecimal} to a {@code double}.
 */
final class SingleNumber extends DelegatingDeserializer {
    private final ValueInstantiator maker;

    private SingleNumber(ValueDeserializer<?> delegate, ValueInstantiator maker) {
        super(delegate);
        this.maker = maker;
    }

    /** What reads the type otherwise, where it is not made of such a number. */
    static ValueDeserializer<?> of(BeanDeserializerBase bean, ValueDeserializer<?> otherwise) {
        ValueInstantiator maker = bean.getValueInstantiator();
        return maker.canCreateFromDouble() || maker.canCreateFromBigDecimal()
                ? new SingleNumber(otherwise, maker)
                : otherwise;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new SingleNumber(delegate, maker);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        if (isToBeMade(parser)) {
            if (maker.canCreateFromDouble()) {
                FiniteNumber.requireNear(parser.getDoubleValue(), parser, double.class);
                return maker.createFromDouble(context, parser.getDoubleValue());
            }
            BoundedDecimal.require(parser.getDecimalValue(), parser);
            return maker.createFromBigDecimal(context, parser.getDecimalValue());
        }
        return super.deserialize(parser, context);
    }

    /** Also a whole number, which Jackson refuses, unless the type makes something else of these. */
    private boolean isToBeMade(JsonParser parser) {
        return parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT)
                || (parser.hasToken(JsonToken.VALUE_NUMBER_INT)
                        && !maker.canCreateFromInt()
                        && !maker.canCreateFromLong()
                        && !maker.canCreateFromBigInteger());
    }
}

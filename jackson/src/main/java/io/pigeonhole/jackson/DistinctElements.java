package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.Nulls;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** A set holds all elements that were sent: of equal ones, all but one would be lost. */
final class DistinctElements extends DelegatingDeserializer {
    DistinctElements(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new DistinctElements(delegate);
    }

    /** Where the type or the property says how elements become those of the set, that is its decision. */
    @Override
    public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        ValueDeserializer<?> set = context.handleSecondaryContextualization(
                getDelegatee(), property, context.constructType(handledType()));
        return readsNullsAsItLikes(property) || isOfReferences(set, context) || hasCreator(set)
                ? set
                : _newIfChanged(set);
    }

    /** An empty value in the place of a null may be there already. */
    private static boolean readsNullsAsItLikes(@Nullable BeanProperty property) {
        if (property == null) {
            return false;
        }
        Nulls nulls = property.getMetadata().getContentNulls();
        return nulls == Nulls.SKIP || nulls == Nulls.AS_EMPTY;
    }

    /** Elements may be read after those that refer to them: the set has them at the end of the document. */
    private static boolean isOfReferences(ValueDeserializer<?> set, DeserializationContext context) {
        return set instanceof ContainerDeserializerBase<?> container
                && container.getContentDeserializer() != null
                && container.getContentDeserializer().getObjectIdReader(context) != null;
    }

    /** It is given all elements. Where it takes a set, that is counted. */
    private static boolean hasCreator(ValueDeserializer<?> set) {
        return set instanceof ContainerDeserializerBase<?> container
                && container.getValueInstantiator() != null
                && (container.getValueInstantiator().canCreateUsingDelegate()
                        || container.getValueInstantiator().canCreateUsingArrayDelegate());
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        if (!parser.hasToken(JsonToken.START_ARRAY)) {
            return super.deserialize(parser, context);
        }
        return requireAll(parser, context, () -> super.deserialize(parser, context));
    }

    /** Where the set has elements before, others may be among them: only what is read into an empty one can be counted. */
    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context, Object into) {
        if (!parser.hasToken(JsonToken.START_ARRAY) || !(into instanceof Collection<?> set) || !set.isEmpty()) {
            return super.deserialize(parser, context, into);
        }
        return requireAll(parser, context, () -> super.deserialize(parser, context, into));
    }

    private @Nullable Object requireAll(
            JsonParser parser, DeserializationContext context, Supplier<@Nullable Object> reading) {
        TokenStreamContext array = parser.streamReadContext();
        int unknown = UnknownNames.count(context);
        boolean outermost = UnknownNames.begin(context);
        Object read = reading.get();
        if (outermost) {
            UnknownNames.end(context);
        }
        requireAll(read, array, UnknownNames.count(context) - unknown, parser);
        return read;
    }

    /** An enum may read many names that it does not have as one value: with each of them an element may be equal to another. */
    private void requireAll(@Nullable Object read, TokenStreamContext array, int unknown, JsonParser parser) {
        if (read instanceof Collection<?> set && set.size() < array.getEntryCount() - unknown) {
            throw new RefusedValueException(
                    parser,
                    "of " + array.getEntryCount() + " elements the set would hold " + set.size()
                            + ", because it holds each once",
                    handledType());
        }
    }
}

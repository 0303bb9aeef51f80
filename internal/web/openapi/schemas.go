package openapi

import (
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/swaggest/jsonschema-go"
)

const schemasAt = "#/components/schemas/"

// configure makes Go types read as their form on the wire.
func (w *writer) configure() {
	w.reflector.AddTypeMapping(uuid.UUID{}, "")
	for _, f := range w.Forms {
		w.reflector.AddTypeMapping(f.Of, forms{f.Are})
	}
	w.reflector.DefaultOptions = append(w.reflector.DefaultOptions,
		jsonschema.DefinitionsPrefix(schemasAt),
		jsonschema.RootRef,
		jsonschema.CollectDefinitions(w.collect),
		jsonschema.InterceptDefName(nameOf),
		jsonschema.InterceptNullability(onlyPointersAreNull),
		jsonschema.InterceptProp(w.property),
		jsonschema.InterceptSchema(onlyItsForms),
		func(rc *jsonschema.ReflectContext) { rc.EnvelopNullability = true },
	)
}

// forms stands for an interface, under its name.
type forms struct{ are []any }

// JSONSchemaOneOf names the forms.
func (f forms) JSONSchemaOneOf() []any { return f.are }

// IgnoreTypeName leaves the interface its name.
func (forms) IgnoreTypeName() {}

func nameOf(t reflect.Type, _ string) string { return strings.ToUpper(t.Name()[:1]) + t.Name()[1:] }

func (w *writer) collect(name string, schema jsonschema.Schema) {
	plain, err := schema.ToSchemaOrBool().ToSimpleMap()
	if err == nil {
		w.spec.ComponentsEns().WithSchemasItem(name, plain)
	}
}

// schemaOf returns the schema of a sample's type, whatever is in the sample; structs become components.
func (w *writer) schemaOf(sample any) (map[string]any, error) {
	schema, err := w.reflector.Reflect(reflect.New(reflect.TypeOf(sample)).Interface())
	if err != nil {
		return nil, err
	}
	return schema.ToSchemaOrBool().ToSimpleMap()
}

// onlyPointersAreNull holds because no answer carries a nil list or map.
func onlyPointersAreNull(p jsonschema.InterceptNullabilityParams) {
	if p.Type.Kind() == reflect.Pointer {
		typeless(p.Schema)
		return
	}
	p.Schema.RemoveType(jsonschema.Null)
	if len(p.Schema.AnyOf) == 2 && p.OrigSchema.Ref != nil {
		p.Schema.AnyOf, p.Schema.Ref = nil, p.OrigSchema.Ref
	}
}

// typeless drops the type also given to a reference, or to null beside a reference.
func typeless(s *jsonschema.Schema) {
	if len(s.AnyOf) == 2 && s.AnyOf[1].TypeObject.Ref != nil {
		s.Type, s.AnyOf[1].TypeObject.Type = nil, nil
	}
}

// onlyItsForms keeps only the forms of a type with several on the wire.
func onlyItsForms(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	if p.Processed && len(p.Schema.OneOf) > 0 {
		p.Schema.Type, p.Schema.Properties, p.Schema.AdditionalProperties = nil, nil, nil
	}
	return false, nil
}

// property adds the entry of Fields, and requires a property without omitempty.
func (w *writer) property(p jsonschema.InterceptPropParams) error {
	if !p.Processed {
		return nil
	}
	optional := strings.Contains(p.Field.Tag.Get("json"), ",omitempty")
	if !optional && !slices.Contains(p.ParentSchema.Required, p.Name) {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	field, known := w.Fields[parentName(p.ParentSchema)+"."+p.Name]
	if !known {
		field = w.Fields[p.Name]
	}
	field.apply(p.PropertySchema)
	if optional && strings.HasSuffix(parentName(p.ParentSchema), "Request") && p.PropertySchema.Type != nil {
		p.PropertySchema.AddType(jsonschema.Null) // absent and null are the same
	}
	return nil
}

func parentName(parent *jsonschema.Schema) string {
	if parent.ReflectType == nil {
		return ""
	}
	t := parent.ReflectType
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

func (f *Field) apply(s *jsonschema.Schema) {
	if len(f.Types) > 0 {
		s.Type = nil
		for _, name := range f.Types {
			s.AddType(jsonschema.SimpleType(name))
		}
	}
	if f.Description != "" {
		s.WithDescription(f.Description)
	}
	if f.Pattern != "" {
		s.WithPattern(f.Pattern)
	}
	if f.Format != "" {
		s.WithFormat(f.Format)
	}
	if f.Example != nil {
		s.WithExamples(f.Example)
	}
	if len(f.Enum) > 0 {
		s.WithEnum(f.Enum...)
	}
	if f.Extension {
		s.WithExtraPropertiesItem(mark, true)
	}
}

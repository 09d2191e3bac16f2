import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { keys } from './keys.js'
import { schema } from './schema.js'
import { notesOf } from './values.js'

type Values = ReadonlyMap<string, unknown>

/** @param value satisfies the rule of the key, so only a codec can change it */
const decode = (type: Type.TSchema, value: unknown): unknown =>
  Value.HasCodec(type) ? Value.Decode(type, value) : value

/** By path. Most keys of a server have their default, so they are decoded here, and not at each load. */
const defaults: Values = new Map(
  keys.flatMap(({ path, schema: type, value }) => (value === undefined ? [] : [[path, decode(type, value)]]))
)

/** Returns a section with the values of its keys. Keys without a value are absent. */
function sectionOf<Section extends Type.TObject>(
  section: Section,
  prefix: string,
  values: Values
): Type.StaticDecode<Section>
function sectionOf({ properties }: Type.TObject, prefix: string, values: Values): unknown {
  const section: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(properties)) {
    const path = prefix + name
    const value =
      notesOf(type) === undefined && Type.IsObject(type)
        ? sectionOf(type, `${path}.`, values)
        : values.get(path)
    if (value !== undefined) section[name] = value
  }
  return section
}

/** Decodes values that satisfy the rules of their keys, by path. Other keys have their default. */
export const decodeSettings = (values: Values): Type.StaticDecode<typeof schema> => {
  const decoded = new Map(defaults)
  for (const { path, schema: type } of keys)
    if (values.has(path)) decoded.set(path, decode(type, values.get(path)))
  return sectionOf(schema, '', decoded)
}

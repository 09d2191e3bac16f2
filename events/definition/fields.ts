import type {
  AbsenceTracking,
  FieldAuthor,
  Field,
  Fields,
  ValueType,
  StoragePolicy,
  ResourceDefinition,
  Visibility,
  LinkTarget
} from './types.js'

export const textType = { type: 'text' } as const
export const secretType = { type: 'secret' } as const
export const booleanType = { type: 'flag' } as const
export const integerType = { type: 'integer' } as const
export const unsignedType = { type: 'unsigned' } as const
export const timeType = { type: 'time' } as const
export const durationType = { type: 'duration' } as const
export const delayType = { type: 'delay' } as const
export const nanosecondsType = { type: 'nanoseconds' } as const
export const durationTextType = { type: 'durationText' } as const
export const jsonObjectType = { type: 'free' } as const

export const choiceType = <const Choices extends readonly string[]>(...of: Choices) =>
  ({ type: 'choice', of }) as const
export const linksType = <const To extends LinkTarget>(to: To) => ({ type: 'links', to }) as const
export const listType = <const Item extends ValueType>(of: Item) => ({ type: 'list', of }) as const
export const mapType = <const Item extends ValueType>(of: Item) => ({ type: 'map', of }) as const
export const objectType = <const Inner extends Fields>(fields: Inner, name?: string) =>
  ({ type: 'object', fields, ...(name === undefined ? {} : { name }) }) as const
/** One that may have other fields in bodies. */
export const openObjectType = <const Inner extends Fields>(fields: Inner, name: string) =>
  ({ type: 'object', fields, name, isOpen: true }) as const
export const nullableType = <const Item extends ValueType>(of: Item) => ({ type: 'orNull', of }) as const
export const optionalType = <const Item extends ValueType>(of: Item) => ({ type: 'orNone', of }) as const
export const mustBeEmptyType = (of: 'text' | 'flag' | 'list') => ({ type: 'empty', of }) as const
export const nullAcceptedType = <const Item extends ValueType>(of: Item) =>
  ({ type: 'nullTaken', of }) as const
export const textListType = listType(textType)

interface Options {
  /** `always` where it is always stored, `filled` where it is stored when filled. */
  readonly shown?: Visibility
  readonly listed?: Visibility
  readonly filterable?: boolean
  /** True for what the caller says and is stored; false for what never changes. */
  readonly hashed?: boolean
  /** What stands for nothing said; the empty value of the form. */
  readonly otherwise?: unknown
}

type Kind<
  F extends ValueType,
  By extends FieldAuthor,
  Has extends StoragePolicy,
  Lacks extends AbsenceTracking
> = Pick<Field<F, By, Has, Lacks>, 'form' | 'by' | 'stored' | 'absence'>

const isContent = ({
  form,
  by,
  stored
}: Kind<ValueType, FieldAuthor, StoragePolicy, AbsenceTracking>): boolean =>
  by === 'caller' && stored !== 'never' && form.type !== 'secret'

const declare = <
  F extends ValueType,
  By extends FieldAuthor,
  Has extends StoragePolicy,
  Lacks extends AbsenceTracking
>(
  kind: Kind<F, By, Has, Lacks>,
  description: string,
  { shown = kind.stored, listed = shown, filterable = true, hashed = isContent(kind), otherwise }: Options
): Field<F, By, Has, Lacks> => ({ ...kind, description, shown, listed, filterable, hashed, otherwise })

/** Returns a function that declares fields with the same author, storage and tracking of omitted values. */
const declaring =
  <By extends FieldAuthor, Has extends StoragePolicy, Lacks extends AbsenceTracking>(
    by: By,
    stored: Has,
    absence: Lacks,
    defaults: Options = {}
  ) =>
  <const F extends ValueType>(form: F, description: string, options: Options = {}) =>
    declare({ form, by, stored, absence }, description, { ...defaults, ...options })

/** Declares a caller's field that is always stored: only for fields that the first events of the log have. */
export const writable = declaring('caller', 'always', 'empty')

/** Like `writable`, but commands distinguish an omitted value from an empty one. */
export const presenceTracked = declaring('caller', 'always', 'tracked')

/** Declares a caller's field that is stored, shown and hashed unless empty. Optional, because earlier events lack new fields. */
export const optionalWritable = declaring('caller', 'filled', 'empty')

/** Like `optionalWritable`, but commands distinguish an omitted value from an empty one. */
export const optionalPresenceTracked = declaring('caller', 'filled', 'tracked')

/** Declares a caller's field that only the decision reads. */
export const inputOnly = declaring('caller', 'never', 'empty', { filterable: false })

/** Declares a field that the service sets and always stores. */
export const generated = declaring('service', 'always', 'empty')

/** Declares a field that the service sets, stored unless empty. */
export const optionallyGenerated = declaring('service', 'filled', 'empty')

/** Declares a field that the server computes for the response. */
export const computedField = declaring('service', 'never', 'empty', { shown: 'from elsewhere' })

/** Declares a field that bodies may hold without effect. */
export const ignoredField = declaring('service', 'never', 'empty', { filterable: false })

/** Declares the tenancy of a resource, which its event holds instead of the payload. */
const tenancyField = declaring('tenancy', 'never', 'empty', { shown: 'filled', filterable: false })

/** Returns the field with its empty value in place of null. */
export const nonNullable = <
  F extends ValueType,
  By extends FieldAuthor,
  Has extends StoragePolicy,
  Lacks extends AbsenceTracking
>(
  field: Field<{ readonly type: 'orNull' | 'nullTaken'; readonly of: F }, By, Has, Lacks>
): Field<F, By, Has, Lacks> => ({ ...field, form: field.form.of })

export const defineResource = <const F extends Fields>(
  declared: ResourceDefinition<F> & { readonly hashOrder?: readonly (keyof F)[] }
): ResourceDefinition<F> => declared

/** The tenancy that a body may name; it wins over parameters and headers (tenancy.md §5.1). */
export const tenancy = {
  Namespace: tenancyField(textType, 'Namespace of the resource; omitted from responses if default'),
  Partition: tenancyField(textType, 'Admin partition of the resource; omitted from responses if default')
}

export const indexes = {
  CreateIndex: generated(integerType, 'Index of the commit that made it; set by the service'),
  ModifyIndex: generated(integerType, 'Index of the last commit that changed it; set by the service')
}

/** For resources whose filters do not cover indexes. */
export const unfilteredIndexes = {
  CreateIndex: { ...indexes.CreateIndex, filterable: false },
  ModifyIndex: { ...indexes.ModifyIndex, filterable: false }
}

export const contentHash = generated(
  textType,
  'Base64 of 32 bytes, equal for equal content; set by the service'
)

/** Accepted on resources without a creation time, because clients send token fields back. */
export const noCreateTime = ignoredField(textType, 'Ignored')

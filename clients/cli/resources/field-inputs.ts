// The flags of fields. By default they follow from the type of a field in the resource definition.
import { InvalidArgumentError } from 'commander'
import type { Field, ValueType } from '../../../events/definition/types.js'
import { isObject } from '../../../events/values.js'
import { namesAt } from '../completion/sources.js'
import { UsageError } from '../console.js'
import type { Run } from '../remote/command.js'
import { CONTENT, jsonContent, textContent } from '../remote/content.js'
import {
  flagName,
  integer,
  on,
  pairs,
  text,
  texts,
  type FlagDefinition,
  type FlagDefinitions
} from '../remote/flags.js'

export type Values = Readonly<Record<string, unknown>>
export type ResourceRun = Run<Values, Values>

interface InputOptions {
  /** An update does not change the field: it sends the existing value, or nothing. */
  readonly update?: 'kept' | 'omitted'
  /** The existing value is sent even with --no-merge. */
  readonly isRequired?: true
}

/** How the command line sets a field. */
export interface FieldInput extends InputOptions {
  readonly flags: FlagDefinitions
  /** Further flags of the update. */
  readonly updateFlags?: FlagDefinitions
  /** Returns the value for the body. @param existing undefined for a new or replaced resource @throws UsageError */
  readonly valueOf: (run: ResourceRun, existing: unknown) => unknown
}

export const textIn = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export const objectIn = (value: unknown): Values => (isObject(value) ? value : {})

const listIn = (values: Values, name: string): readonly unknown[] => {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

/** A text, or one of `choices`. */
export const textInput = (
  name: string,
  value: string,
  about: string,
  { choices = [], ...options }: InputOptions & { readonly choices?: readonly string[] } = {}
): FieldInput => ({
  ...options,
  flags: { [name]: text(value, about, choices.length > 0 ? { choices } : {}) },
  valueOf: ({ flags }, existing) => flags[name] ?? existing
})

export const flagInput = (name: string, about: string, options: InputOptions = {}): FieldInput => ({
  ...options,
  flags: { [name]: on(about) },
  valueOf: ({ flags }, existing) => flags[name] === true || existing
})

/** A text that may come from a file. */
export const contentInput = (name: string, value: string, about: string): FieldInput => ({
  flags: { [name]: text(value, `${about}; ${CONTENT}`) },
  valueOf: ({ flags, console }, existing) => {
    const given = textIn(flags, name)
    return given === undefined ? existing : textContent(given, console)
  }
})

/** Returns the JSON object of a flag. @throws UsageError */
export const jsonObjectIn = async ({ flags, console }: ResourceRun, name: string) => {
  const given = textIn(flags, name)
  if (given === undefined) return undefined
  const value = await jsonContent(given, console)
  if (!isObject(value)) throw new UsageError(`--${flagName(name)} must be a JSON object`)
  return value
}

/** Texts that replace the existing ones. */
export const listInput = (name: string, value: string, about: string): FieldInput => ({
  flags: { [name]: texts(value, about) },
  valueOf: ({ flags }, existing) => (listIn(flags, name).length > 0 ? flags[name] : (existing ?? []))
})

/** Elements of a list: an update adds them, or replaces the list unless the flag `addsWith` is set. */
type ListUpdate = 'adds' | { readonly addsWith?: string }

interface Elements {
  readonly flags: FlagDefinitions
  readonly elementsOf: (flags: Values) => readonly unknown[]
  /** An added element replaces the one with the same key. */
  readonly isSame: (one: Values, other: Values) => boolean
}

const elementsInput = ({ flags, elementsOf, isSame }: Elements, update: ListUpdate): FieldInput => {
  const addsWith = update === 'adds' ? undefined : update.addsWith
  return {
    flags,
    ...(addsWith === undefined
      ? {}
      : { updateFlags: { [addsWith]: on('add to the existing list instead of replacing it') } }),
    valueOf: (run, existing) => {
      const added = elementsOf(run.flags)
      const before: readonly unknown[] = Array.isArray(existing) ? existing : []
      const isAdding = update === 'adds' || (addsWith !== undefined && run.flags[addsWith] === true)
      if (!isAdding) return added.length > 0 ? added : before
      const isReplaced = (one: unknown): boolean =>
        added.some(other => isSame(objectIn(one), objectIn(other)))
      return [...before.filter(one => !isReplaced(one)), ...added]
    }
  }
}

/** Returns the list of the linked kind. */
const listOf = (prefix: string): string => (/role$/i.test(prefix) ? '/v1/acl/roles' : '/v1/acl/policies')

/** Links by ID and by name. @param prefix of the flags, such as `policy` */
export const linksInput = (prefix: string, noun: string, update: ListUpdate): FieldInput => {
  const [id, name] = [`${prefix}Id`, `${prefix}Name`]
  return elementsInput(
    {
      flags: {
        [id]: texts('id', `ID of a ${noun}`),
        [name]: texts('name', `name of a ${noun}`, { completes: namesAt(listOf(prefix)) })
      },
      elementsOf: flags => [
        ...listIn(flags, id).map(ID => ({ ID })),
        ...listIn(flags, name).map(Name => ({ Name }))
      ],
      isSame: (one, { ID, Name }) => (ID === undefined ? one['Name'] === Name : one['ID'] === ID)
    },
    update
  )
}

const parsed = (
  value: string,
  about: string,
  parse: (input: string) => Values
): FlagDefinition<readonly Values[]> => ({
  about: `${about} (repeatable)`,
  value,
  initial: [],
  parse: (input, before) => [...before, parse(input)]
})

const serviceIdentityOf = (input: string): Values => {
  const [ServiceName = '', datacenters, ...more] = input.split(':')
  if (ServiceName === '' || more.length > 0 || datacenters === '')
    throw new InvalidArgumentError('It is written SERVICE, or SERVICE:DATACENTER,DATACENTER.')
  return { ServiceName, ...(datacenters === undefined ? {} : { Datacenters: datacenters.split(',') }) }
}

const nodeIdentityOf = (input: string): Values => {
  const [NodeName = '', Datacenter = '', ...more] = input.split(':')
  if (NodeName === '' || Datacenter === '' || more.length > 0)
    throw new InvalidArgumentError('It is written NODE:DATACENTER.')
  return { NodeName, Datacenter }
}

/** The identities of services and nodes, whose permissions are granted. */
export const identityInputs = (services: ListUpdate, nodes: ListUpdate) => ({
  ServiceIdentities: elementsInput(
    {
      flags: {
        serviceIdentity: parsed(
          'service[:dc,…]',
          'service whose permissions are granted, and in which datacenters',
          serviceIdentityOf
        )
      },
      elementsOf: flags => listIn(flags, 'serviceIdentity'),
      isSame: (one, other) => one['ServiceName'] === other['ServiceName']
    },
    services
  ),
  NodeIdentities: elementsInput(
    {
      flags: { nodeIdentity: parsed('node:dc', 'node whose permissions are granted', nodeIdentityOf) },
      elementsOf: flags => listIn(flags, 'nodeIdentity'),
      isSame: (one, other) =>
        one['NodeName'] === other['NodeName'] && one['Datacenter'] === other['Datacenter']
    },
    nodes
  )
})

/** Returns `maxTokenTtl` for `MaxTokenTTL`. */
const flagOf = (field: string): string =>
  (field.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z\d]+/g) ?? [])
    .map(word => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('')
    .replace(/^./, letter => letter.toLowerCase())

type InputOfType = (name: string, description: string) => FieldInput

const INPUTS: { readonly [Type in ValueType['type']]?: InputOfType } = {
  text: (name, description) => textInput(name, 'text', description),
  time: (name, description) => textInput(name, 'time', description),
  duration: (name, description) => textInput(name, 'duration', description),
  flag: flagInput,
  integer: (name, description) => ({
    flags: { [name]: integer('number', description) },
    valueOf: ({ flags }, existing) => (flags[name] === undefined ? existing : Number(flags[name]))
  }),
  map: (name, description) => ({
    flags: { [name]: pairs(description) },
    valueOf: ({ flags }, existing) => ({ ...objectIn(existing), ...objectIn(flags[name]) })
  })
}

/** Returns the input of a field without a special one; undefined for types that need one. */
export const inputOf = (field: string, { form, description }: Field): FieldInput | undefined => {
  const name = flagOf(field)
  if (form.type === 'choice')
    return textInput(name, 'value', description, { choices: form.of.filter(Boolean) })
  if (form.type === 'list' && form.of.type === 'text') return listInput(name, 'value', description)
  return INPUTS[form.type]?.(name, description)
}

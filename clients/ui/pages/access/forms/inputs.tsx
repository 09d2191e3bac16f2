// The inputs of forms by the types of the fields in resource definitions.
import type { FunctionComponent } from 'preact'
import type { ValueType } from '../../../../../events/definition/types.js'
import {
  Button,
  CheckField,
  Chips,
  Combobox,
  Field,
  FieldGroup,
  type FieldProps,
  Refusal,
  Select
} from '../../../design/index.js'
import { fieldIn, listIn, resourcePage, textIn, textOf } from '../../../resources/kind.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useMemo } from 'preact/hooks'
import type { Schemas } from '../../../../typescript/typed/index.js'
import { useResponse } from '../../../session/use-response.js'

export interface InputProps extends Omit<FieldProps, 'value' | 'change'> {
  readonly value: unknown
  readonly change: (value: unknown) => void
  readonly place: TenancyQuery
}

export interface TypeInput {
  readonly Input: FunctionComponent<InputProps>
  /** Converts a stored value to that of the input. */
  readonly read: (value: unknown) => unknown
  /** Converts the value of the input to that of a body. @throws Error with a message for users */
  readonly write: (value: unknown) => unknown
}

const same = (value: unknown): unknown => value

/** Splits a list of names at its commas. */
const namesIn = (text: unknown): readonly string[] =>
  textOf(text)
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)

const linksIn = (value: unknown) =>
  listIn(value).map(each => ({ ID: textIn(each, 'ID'), Name: textIn(each, 'Name') }))

const TextInput = ({ value, place: _place, ...field }: InputProps) => (
  <Field {...field} value={textOf(value)} />
)

const FlagInput = ({ label, value, change }: InputProps) => (
  <CheckField label={label} value={value === true} change={change} />
)

const ChoiceInput = ({ label, options = [], value, change }: InputProps) => (
  <Select label={label} options={options} value={textOf(value)} change={change} />
)

const NONE: readonly LinkedEntry[] = []

type LinkedEntry = Schemas['PolicyEntry'] | Schemas['RoleEntry']

/** @param path segment in the address of their list and pages @param one the singular, such as `policy` */
const linksInput = (path: string, title: string, one: string): FunctionComponent<InputProps> =>
  function LinksInput({ place, value, change }: InputProps) {
    const links = linksIn(value)
    const { value: all = NONE, failure } = useResponse<readonly LinkedEntry[]>(`/v1/acl/${path}`, place)
    const options = useMemo(() => {
      const linked = new Set(linksIn(value).map(({ ID }) => ID))
      return all
        .filter(({ ID }) => !linked.has(ID))
        .map(({ ID, Name, Description }) => ({ value: ID, label: Name, hint: Description }))
    }, [all, value])
    const add = (id: string): void =>
      change([...links, ...all.filter(({ ID }) => ID === id).map(({ ID, Name }) => ({ ID, Name }))])
    return (
      <FieldGroup title={title} name={`${one}|${title}`}>
        {links.length > 0 && (
          <Chips
            what={one}
            chips={links.map(({ ID: id, Name }) => ({
              id,
              name: Name || id,
              address: resourcePage(path, { key: id })
            }))}
            remove={id => change(links.filter(({ ID }) => ID !== id))}
          />
        )}
        <Combobox label={`Add ${one}`} placeholder={`Add ${one} …`} options={options} choose={add} />
        <Refusal text={failure} />
      </FieldGroup>
    )
  }

const PolicyLinks = linksInput('policies', 'Policies', 'policy')
const RoleLinks = linksInput('roles', 'Roles', 'role')

/** Policies and roles that every token of a namespace has. */
export const tokenDefaults: Omit<TypeInput, 'write'> = {
  read: value => ({
    PolicyDefaults: linksIn(fieldIn(value, 'PolicyDefaults')),
    RoleDefaults: linksIn(fieldIn(value, 'RoleDefaults'))
  }),
  Input: ({ value, change, ...input }) => {
    const inputOf = (name: string) => ({
      ...input,
      value: fieldIn(value, name),
      change: (links: unknown): void => change({ ...Object(value), [name]: links })
    })
    return (
      <div class="columns" role="group" aria-label="Defaults of its tokens">
        <PolicyLinks {...inputOf('PolicyDefaults')} />
        <RoleLinks {...inputOf('RoleDefaults')} />
      </div>
    )
  }
}

interface Identity {
  readonly name: string
  /** Names of datacenters, separated by commas. */
  readonly where: string
}

const identitiesIn = (value: unknown): readonly Identity[] =>
  listIn(value).map(each => ({ name: textIn(each, 'name'), where: textIn(each, 'where') }))

/** @param one the singular, such as `service` @param where the datacenters of an identity without any */
const identitiesInput = (title: string, one: string, where: string): FunctionComponent<InputProps> =>
  function IdentitiesInput({ value, change }: InputProps) {
    const identities = identitiesIn(value)
    const put = (at: number, part: Partial<Identity>): void =>
      change(identities.map((identity, place) => (place === at ? { ...identity, ...part } : identity)))
    return (
      <FieldGroup title={title} name={`${title.split(' ')[0]} identity`}>
        {identities.map((identity, at) => (
          <p class="choices" key={at}>
            <input
              aria-label={`Name of ${one} ${at + 1}`}
              placeholder={`Name of a ${one}`}
              required
              value={identity.name}
              onInput={({ currentTarget }) => put(at, { name: currentTarget.value.trim() })}
            />
            <input
              aria-label={`Datacenters of ${one} ${at + 1}`}
              placeholder={where}
              value={identity.where}
              onInput={({ currentTarget }) => put(at, { where: currentTarget.value })}
            />
            <Button
              label="×"
              act={() => change(identities.filter((_, place) => place !== at))}
              aria-label={`Remove ${one} ${identity.name || at + 1}`}
            />
          </p>
        ))}
        <p>
          <Button label={`Add ${one}`} act={() => change([...identities, { name: '', where: '' }])} />
        </p>
      </FieldGroup>
    )
  }

const serviceIdentities: TypeInput = {
  Input: identitiesInput('Service identities', 'service', 'all datacenters'),
  read: value =>
    listIn(value).map(each => ({
      name: textIn(each, 'ServiceName'),
      where: listIn(fieldIn(each, 'Datacenters')).join(', ')
    })),
  write: value =>
    identitiesIn(value).map(({ name, where }) => ({ ServiceName: name, Datacenters: namesIn(where) }))
}

const nodeIdentities: TypeInput = {
  Input: identitiesInput('Node identities', 'node', 'its datacenter'),
  read: value =>
    listIn(value).map(each => ({ name: textIn(each, 'NodeName'), where: textIn(each, 'Datacenter') })),
  write: value => identitiesIn(value).map(({ name, where }) => ({ NodeName: name, Datacenter: where.trim() }))
}

const names: TypeInput = {
  Input: TextInput,
  read: value => listIn(value).join(', '),
  write: namesIn
}

/** Pairs in lines: `name = value`. */
const pairs: TypeInput = {
  Input: TextInput,
  read: value =>
    Object.entries(Object(value))
      .map(([name, text]) => `${name} = ${textOf(text)}`)
      .join('\n'),
  write: value =>
    Object.fromEntries(
      textOf(value)
        .split('\n')
        .filter(line => line.trim() !== '')
        .map(line => {
          const at = line.indexOf('=')
          if (at < 1) throw new Error(`"${line.trim()}" is not a pair such as owner = team`)
          return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
        })
    )
}

const text: TypeInput = { Input: TextInput, read: textOf, write: same }

export const inputOfType = (form: ValueType = { type: 'text' }): TypeInput => {
  if (form.type === 'flag') return { Input: FlagInput, read: value => value === true, write: same }
  if (form.type === 'choice') return { ...text, Input: ChoiceInput }
  if (form.type === 'map') return pairs
  if (form.type === 'links')
    return { Input: form.to === 'policy' ? PolicyLinks : RoleLinks, read: linksIn, write: same }
  if (form.type === 'duration') return { ...text, write: value => textOf(value).trim() || undefined }
  if (form.type !== 'list') return text
  if (form.of.type !== 'object') return names
  return 'ServiceName' in form.of.fields ? serviceIdentities : nodeIdentities
}

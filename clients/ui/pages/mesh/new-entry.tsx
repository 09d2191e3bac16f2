// A new configuration entry: of a kind, with a name, from what such an entry begins with.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../../parts/heading.js'
import { useTenancy } from '../../session/tenancy.js'
import { textOf } from '../../things/kind.js'
import { EntryForm } from './entry-form.js'
import { ENTRY_KINDS, skeletonOf, type EntryKind } from './entry-kinds.js'

/** The page of an entry that was stored. */
const pageOf = (text: string, ns: string, partition: string): string => {
  const entry: unknown = JSON.parse(text)
  const [kind, name] = ['Kind', 'Name'].map(field => textOf(Reflect.get(Object(entry), field)))
  return `/ui/config/one?${new URLSearchParams({ key: `${kind}/${name}`, ns, partition })}`
}

const kindOf = (name: string | undefined): EntryKind | undefined =>
  ENTRY_KINDS.find(({ kind }) => kind === name) ?? ENTRY_KINDS[0]

export const NewEntryPage = () => {
  const { query, route } = useLocation()
  const { ns, partition = 'default' } = useTenancy()
  const [kind, setKind] = useState(kindOf(query['kind']))
  const [name, setName] = useState(query['name'] ?? 'web')
  if (!kind) return null
  // Kinds of which there is one are in the default namespace.
  const place = ns === '*' || kind.only !== undefined ? 'default' : ns
  const where = partition === '*' ? 'default' : partition
  const called = kind.only ?? name
  return (
    <main class="mesh scrolled">
      <nav aria-label="Path">
        <a href="/ui/config">Configuration entries</a>
      </nav>
      <Heading>New configuration entry</Heading>
      <p class="choices">
        <label>
          Kind{' '}
          <select value={kind.kind} onChange={({ currentTarget }) => setKind(kindOf(currentTarget.value))}>
            {ENTRY_KINDS.map(each => (
              <option key={each.kind}>{each.kind}</option>
            ))}
          </select>
        </label>
        <label>
          Name{' '}
          <input
            value={called}
            readOnly={kind.only !== undefined}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <span class="quiet">
          It says {kind.says}. It will be in namespace {place}.
        </span>
      </p>
      <EntryForm
        key={`${kind.kind} ${called}`}
        saved={{ text: skeletonOf(kind, called), index: 0 }}
        query={{ ns: place, partition: where }}
        stored={text => route(pageOf(text, place, where))}
      />
    </main>
  )
}

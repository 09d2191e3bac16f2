import { useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Schemas } from '../../typescript/typed/index.js'
import { sections, sectionPages } from '../sections.js'
import { Combobox, type Option } from '../design/index.js'
import { servicePage } from '../resources/catalog/facts.js'
import { kinds, services } from '../resources/kinds.js'
import { addressAsOf, withAsOf, pointInTimeIn } from '../time-travel/as-of-state.js'
import { recent } from '../session/session.js'
import { useResponse } from '../session/use-response.js'
import { withTenancy } from '../session/tenancy.js'
import { resourcePage } from '../resources/kind.js'

const PLACES: readonly Option[] = sections.flatMap(section =>
  section.places.flatMap(({ path, title, kind, further = [] }) => [
    { value: path, label: title, hint: section.title },
    ...further
      .filter(page => page.path.endsWith('/new'))
      .map(page => ({ value: page.path, label: `Create ${kind?.one ?? ''}`, hint: 'Action' }))
  ])
)

const MAX_HITS = 20
const ID = /^[\da-f-]{36}$/

/** Returns the page of a hit; that of its service before the page of an instance. */
const optionsOf = (hit: Schemas['SearchHit']): readonly Option[] => {
  const { Topic, Key, Name, Namespace: ns, Partition: partition, Node: node = '' } = hit
  const kind = kinds.find(({ topic }) => topic === Topic)
  if (!kind) return []
  const named = { key: Key, ns, partition, node: node || undefined }
  // Several resources may have the same name: entries of other kinds, instances of a service, or checks.
  const id = Key === Name || ID.test(Key) ? '' : ` ${Key.replace(`/${Name}`, '')}`
  const place = ns === '' || ns === 'default' ? '' : ` in ${ns}`
  const own = { value: resourcePage(kind.path, named), label: Name, hint: `${kind.one}${id}${place}` }
  if (kind !== services) return [own]
  const service = servicePage({ service: Name, namespace: ns, partition })
  return [
    { value: service, label: Name, hint: `service${place}` },
    { ...own, hint: `instance${id}${place}` }
  ]
}

/** Configuration entries have the names of services, and change more often. */
const entriesLast = (one: Schemas['SearchHit'], other: Schemas['SearchHit']): number =>
  Number(one.Topic === 'ConfigEntry') - Number(other.Topic === 'ConfigEntry')

/** Offers time travel if the text is a time or a commit, such as `travel to 2h ago`. */
const travelTo = (text: string, url: string): readonly Option[] => {
  const [, when = ''] = /^(?:travel(?: to)? )?(.*)$/i.exec(text) ?? []
  const at = pointInTimeIn(when, Date.now())
  return at === undefined ? [] : [{ value: addressAsOf(url, at), label: `Travel to ${when}`, hint: 'Action' }]
}

/** Offers the lists in which a name may occur. */
const listsWith = (text: string): readonly Option[] =>
  sectionPages
    .filter(({ kind }) => kind)
    .map(({ path, title }) => ({
      value: `${path}?${new URLSearchParams({ search: text })}`,
      label: text,
      hint: `in ${title.toLowerCase()}`
    }))

export const QuickOpen = ({ close }: { readonly close: () => void }) => {
  const { url, route } = useLocation()
  const [text, setText] = useState('')
  const q = text.trim()
  const { value } = useResponse<readonly Schemas['SearchHit'][]>(q === '' ? undefined : '/v1/search', { q })
  const last = useRef<readonly Schemas['SearchHit'][]>([])
  if (value) last.current = value
  // Until the response, earlier hits that have the text stay.
  const hits = value ?? last.current.filter(({ Name }) => Name.toLowerCase().includes(q.toLowerCase()))
  const others = useMemo(() => {
    const found = hits.slice(0, MAX_HITS).toSorted(entriesLast).flatMap(optionsOf)
    // Instances share the page of their service.
    const pages = new Map(found.map(option => [option.value, option]))
    return q === '' ? [] : [...travelTo(q, url), ...pages.values(), ...listsWith(q)]
  }, [value, q, url])
  const options = useMemo(() => [...recent.value, ...PLACES], [recent.value])
  return (
    <Combobox
      label="Page or name"
      placeholder="Tokens, services, a name …"
      options={options}
      others={others}
      onText={setText}
      close={close}
      choose={path => route(withAsOf(withTenancy(path)))}
    />
  )
}

import { type Place, ALL, useTenancy } from '../../session/tenancy.js'
import { useEffect, useState } from 'preact/hooks'
import {
  ConfirmButton,
  Refusal,
  CreateLink,
  Guard,
  List,
  SearchHeader,
  Restricted,
  StreamNotice
} from '../../design/index.js'
import { client } from '../../session/session.js'
import { messageOf } from '../../../../events/errors.js'
import { send } from '../send.js'
import { useTask, useResponse, useRoute } from '../../session/use-response.js'
import { folderAddress, folderOf, kvPath } from './entry.js'
import { namesBelow } from './folder/names.js'
import { useLocation } from 'preact-iso'
import { asOfIndex } from '../../time-travel/as-of-state.js'
import { columnsOf, Crumbs, type NameRow, useKey } from './folder/cells.js'
import { useFolder } from './folder/use-folder.js'
import { NewKey } from './key/new-key.js'
import { keyKind } from '../../resources/kinds.js'

const MAX_RESULTS = 1_000

interface SearchResult {
  readonly names: readonly string[]
  readonly looked: number
  readonly state: 'searching' | 'done' | 'cut'
  readonly failure?: string
}

const NOTHING: SearchResult = { names: [], looked: 0, state: 'searching' }

/** @param wanted in lower case; empty to search nothing, and undefined to count all names */
const useSearch = ({ ns, partition }: Place, under: string, wanted?: string): SearchResult => {
  const { connection } = client.value
  const [found, setFound] = useState(NOTHING)
  const search = async (signal: AbortSignal): Promise<void> => {
    setFound(NOTHING)
    if (wanted === '') return
    let names: readonly string[] = []
    let looked = 0
    const walk = { space: { ns, partition }, under, isDeep: true, signal }
    for await (const page of namesBelow(connection, walk)) {
      const isFound = (name: string): boolean =>
        name
          .slice(under.length)
          .toLowerCase()
          .includes(wanted ?? '')
      if (wanted !== undefined) names = [...names, ...page.filter(isFound)]
      looked += page.length
      if (names.length >= MAX_RESULTS)
        return setFound({ names: names.slice(0, MAX_RESULTS), looked, state: 'cut' })
      setFound({ names, looked, state: 'searching' })
    }
    setFound({ names, looked, state: 'done' })
  }
  useTask(search, error => setFound({ ...NOTHING, state: 'done', failure: messageOf(error) }), [
    connection,
    ns,
    partition,
    under,
    wanted
  ])
  return found
}

const formatKeys = (count: number): string => (count === 1 ? '1 key' : `${count.toLocaleString()} keys`)

interface Props {
  readonly space: Place
  readonly under: string
}

const Counted = ({ space, under, tell }: Props & { readonly tell: (isDone: boolean) => void }) => {
  const { looked, state, failure } = useSearch(space, under)
  const isDone = state === 'done'
  const isKnown = isDone && failure === undefined
  useEffect(() => tell(isKnown), [isKnown])
  return (
    <>
      <p role="status">
        {isDone
          ? `${formatKeys(looked)} visible to this token would be deleted: all whose names begin with ${under}`
          : `Counting: ${formatKeys(looked)} so far …`}
      </p>
      <Refusal text={failure} />
    </>
  )
}

const DeleteFolder = ({ space, under }: Props) => {
  const [isCounted, setCounted] = useState(false)
  const route = useRoute()
  const remove = async (reason: string): Promise<void> => {
    if (!isCounted) throw new Error('Wait until the keys are counted.')
    await send('DELETE', kvPath(under), { query: { ...space, recurse: true }, reason })
    route(folderAddress(space, folderOf(under)))
  }
  return (
    <ConfirmButton label="Delete folder" title={`Delete ${under} and everything in it?`} action={remove}>
      <Counted space={space} under={under} tell={setCounted} />
    </ConfirmButton>
  )
}

const MAX_NAMESPACES = 20

const Namespaces = ({ space }: { readonly space: Place }) => {
  const { ns } = useTenancy()
  const query = { partition: space.partition, limit: MAX_NAMESPACES }
  const { value } = useResponse<readonly { readonly Name: string }[]>(
    ns === ALL ? '/v1/namespaces' : undefined,
    query
  )
  const others = (value ?? []).filter(({ Name }) => Name !== space.ns)
  if (ns !== ALL || others.length === 0) return null
  return (
    <p role="status">
      Keys of namespace {space.ns}. Other namespaces:{' '}
      {others.map(({ Name }, at) => (
        <span key={Name}>
          {at > 0 && ', '}
          <a href={folderAddress({ ...space, ns: Name }, '')}>{Name}</a>
        </span>
      ))}
    </p>
  )
}

const formatFound = ({ names, looked, state }: SearchResult): string => {
  const places = `${names.length.toLocaleString('en')} found in ${looked.toLocaleString('en')} keys`
  if (state === 'searching') return `${places} so far …`
  return state === 'cut' ? `${places}. Type more of the name to narrow the search.` : places
}

const FolderPage = ({ space, under }: { readonly space: Place; readonly under: string }) => {
  const { route } = useLocation()
  const [wanted, setWanted] = useState('')
  const { model, state, refusal, isCut } = useFolder(space, under)
  const found = useSearch(space, under, wanted)
  const isSearch = wanted !== ''
  const names = isSearch ? found.names : model.names
  const isFolder = (name: string): boolean => !isSearch && name.endsWith('/') && name !== under
  const rowAt = (place: number): NameRow | undefined => {
    const name = names[place]
    if (name === undefined) return undefined
    const label = name === under ? name : name.slice(under.length)
    return { id: name, label, isFolder: isFolder(name), index: model.indexOf(name), fields: {} }
  }
  const pressed = ({ key, target }: KeyboardEvent): void => {
    if (key === 'Backspace' && under !== '' && !(target instanceof HTMLInputElement))
      route(folderAddress(space, folderOf(under)))
  }
  return (
    <main class="keys" onKeyDown={pressed}>
      <SearchHeader
        title="Keys"
        search={text => setWanted(text.trim().toLowerCase())}
        action={<CreateLink what="key" resource="key" to={folderAddress(space, under, { new: 'key' })} />}
      />
      <div class="choices">
        <Crumbs space={space} path={under} />
        {under !== '' && (
          <Guard resource="key" segment={under} access="write-prefix" place={space}>
            <DeleteFolder space={space} under={under} />
          </Guard>
        )}
      </div>
      <Namespaces space={space} />
      {isSearch ? (
        <>
          <p role="status">{formatFound(found)}</p>
          <Refusal text={found.failure} />
          <Restricted refusal={refusal} permission="key:read" />
        </>
      ) : (
        <StreamNotice
          state={state}
          count={names.length}
          about={keyKind.about}
          refusal={refusal}
          permission="key:read"
          what={['key or folder', 'keys and folders']}
        />
      )}
      {isCut && !isSearch && (
        <p role="status">
          Only the first {names.length.toLocaleString('en')} are listed. Search to find others.
        </p>
      )}
      <List
        label="Keys"
        columns={columnsOf(space)}
        listed={{ count: names.length, rowAt }}
        useRow={row => useKey(space, row)}
      />
    </main>
  )
}

export const KeysPage = () => {
  const { under = '', new: made } = useLocation().query
  const { ns: chosen, partition: some = 'default' } = useTenancy()
  // Keys of different namespaces may have the same name.
  const ns = chosen === ALL ? 'default' : chosen
  const partition = some === ALL ? 'default' : some
  const at = `${partition} ${ns} ${under} ${asOfIndex.value}`
  return made === undefined ? (
    <FolderPage key={at} space={{ ns, partition }} under={under} />
  ) : (
    <NewKey key={at} space={{ ns, partition }} under={under} />
  )
}

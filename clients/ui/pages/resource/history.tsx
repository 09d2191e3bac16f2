import { useMemo, useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Button, Section, Select, TextDiff, InChangeSet, RelativeTime, Who } from '../../design/index.js'
import { EventFormatter, UNSPECIFIC } from '../../resources/format-event.js'
import { type Version, readableVersion } from '../../resources/kind.js'
import type { Versions } from './use-versions.js'
import { lazy, useLocation } from 'preact-iso'
import { addressAsOf, addressWith } from '../../time-travel/as-of-state.js'
import { Restore } from './restore.js'

const Proof = lazy(async () => (await import('./proof/result.js')).ProofResult)

interface AuthorProps {
  readonly version: Version
  readonly isPlain?: boolean
}

/** Names the author of a version and the reason. */
export const Author = ({ version: { By }, isPlain = false }: AuthorProps) => {
  if (!By) return null
  if (By.Erased) return <>by an erased author</>
  return (
    <>
      by <Who accessor={By.AccessorID} name={By.TokenName} isPlain={isPlain} />{' '}
      {!isPlain && By.Address && `from ${By.Address} `}
      <InChangeSet {...By} />
      {By.Reason && <q>{By.Reason}</q>}
    </>
  )
}

/** Proves in the browser that the log contains the version. */
export const Verify = ({ version, named }: { readonly version: Version; readonly named: Query }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button label="Verify" act={() => setIsOpen(true)} class="plain" disabled={isOpen} />
      {isOpen && <Proof version={version} named={named} />}
    </>
  )
}

interface VersionRowProps {
  readonly version: Version
  /** The previous version, if it is loaded. */
  readonly before: Version | undefined
  /** The newest version. */
  readonly current: Version | undefined
  readonly named: Query
  /** The action, or the values that changed. */
  readonly words: string
}

/** Returns the note in place of missing content. */
const missingOf = ({ Erased, Withheld, Base }: Version): string | undefined => {
  if (Erased) return 'The content of this version was erased.'
  if (Withheld) return 'This version is withheld: the token has no permission to read it.'
  return Base ? 'The state when earlier commits were pruned. Its origin is unknown.' : undefined
}

const Content = ({ version, before, current, named }: Omit<VersionRowProps, 'words'>) => {
  const { url } = useLocation()
  const { Index, Withheld, Base, Payload } = version
  const missing = missingOf(version)
  return (
    <>
      {missing !== undefined && <p role="note">{missing}</p>}
      <p class="quiet">
        Commit {Index} <Author version={version} />
      </p>
      {Payload && <TextDiff before={readableVersion(before)} after={readableVersion(version)} />}
      <div class="choices">
        <a href={addressAsOf(addressWith(url, 'tab', undefined), Index)}>Time travel to this commit</a>
        {!Withheld && !Base && <Verify version={version} named={named} />}
      </div>
      {current && version !== current && !Withheld && (
        <Restore named={named} to={version} current={current} label={`Restore version ${Index}`} />
      )}
    </>
  )
}

/** Describes the changes of versions by their indexes. @param versions newest first */
const changesOf = (versions: readonly Version[]): ReadonlyMap<number, string> => {
  const formatter = new EventFormatter(1)
  const resource = { Topic: '', Key: '', Namespace: '', FilterKeys: null }
  return new Map(
    versions
      .toReversed()
      .map(({ Index, Type, Payload = {} }) => [
        Index,
        formatter.describe({ ...resource, Index, Type, Payload })
      ])
  )
}

const VersionRow = (props: VersionRowProps) => {
  const { version, words } = props
  const isSpecific = !UNSPECIFIC.test(words)
  const { Index, Time, Type, Base } = version
  const [isOpen, setIsOpen] = useState(false)
  const missing = missingOf(version)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span class="index">{Index}</span> {!Base && <b title={Type}>{isSpecific ? 'changed' : words}</b>}{' '}
        {isSpecific && <span class="values">{words}</span>} <Author version={version} isPlain />{' '}
        {Time && <RelativeTime at={Time} />} {missing !== undefined && <em>{missing}</em>}
      </summary>
      {isOpen && <Content {...props} />}
    </details>
  )
}

/** @param versions newest first; renders nothing for a single one */
const Compare = ({ versions }: { readonly versions: readonly Version[] }) => {
  const [older, setOlder] = useState<number>()
  const [newer, setNewer] = useState<number>()
  const before = versions.find(({ Index }) => Index === older) ?? versions[1]
  const after = versions.find(({ Index }) => Index === newer) ?? versions[0]
  if (!before || !after) return null
  const options = versions.map(
    ({ Index, Time }) =>
      [Index, Time ? `${Index}, ${new Date(Time).toLocaleString()}` : String(Index)] as const
  )
  return (
    <Section title="Compare versions">
      <p class="choices">
        {(
          [
            ['Before', before, setOlder],
            ['After', after, setNewer]
          ] as const
        ).map(([label, { Index }, set]) => (
          <Select key={label} {...{ label, options }} value={Index} change={index => set(Number(index))} />
        ))}
      </p>
      <TextDiff
        before={readableVersion(before)}
        after={readableVersion(after)}
        titles={[`Commit ${before.Index}`, `Commit ${after.Index}`]}
      />
    </Section>
  )
}

interface Props {
  readonly named: Query
  readonly history: Versions
}

export const History = ({ named, history: { versions = [], hasOlder, loadOlder } }: Props) => {
  const changes = useMemo(() => changesOf(versions), [versions])
  return (
    <>
      {versions.length > 0 && versions.every(({ By }) => !By) && (
        <p role="note">Author and time require operator:read.</p>
      )}
      {versions.map((version, at) => (
        <VersionRow
          key={version.Index}
          version={version}
          before={versions[at + 1]}
          current={versions[0]}
          named={named}
          words={changes.get(version.Index) ?? ''}
        />
      ))}
      {hasOlder && (
        <p>
          <Button label="Load older versions" act={loadOlder} />
        </p>
      )}
      <Compare versions={versions.filter(({ Payload }) => Payload)} />
    </>
  )
}

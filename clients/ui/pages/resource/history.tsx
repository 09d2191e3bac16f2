import { useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Button, Section, Select, TextDiff } from '../../design/index.js'
import { readable, type Version } from '../../resources/versions.js'
import type { Versions } from './use-versions.js'
import { VersionRow } from './version-row.js'

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
        <Select
          label="Before"
          options={options}
          value={before.Index}
          change={index => setOlder(Number(index))}
        />
        <Select
          label="After"
          options={options}
          value={after.Index}
          change={index => setNewer(Number(index))}
        />
      </p>
      <TextDiff
        before={readable(before.Payload)}
        after={readable(after.Payload)}
        titles={[`Commit ${before.Index}`, `Commit ${after.Index}`]}
      />
    </Section>
  )
}

interface Props {
  readonly named: Query
  readonly history: Versions
}

export const History = ({ named, history: { versions = [], hasOlder, loadOlder } }: Props) => (
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

// One quiet line about what a list hides: <Restricted refusal={refusal} />
interface Props {
  /** The server's message about the missing permission; undefined if nothing is hidden. */
  readonly refusal: string | undefined
}

const PERMISSION = /lacks permission ('[\w:-]+')/

export const Restricted = ({ refusal }: Props) => {
  if (refusal === undefined) return null
  const [, permission] = PERMISSION.exec(refusal) ?? []
  return (
    <p role="note" class="quiet" title={refusal}>
      {permission === undefined
        ? 'Some resources are hidden from this token.'
        : `What requires ${permission} is hidden from this token.`}{' '}
      <a href={`/ui/explain?${new URLSearchParams({ denial: refusal })}`}>Explain</a>
    </p>
  )
}

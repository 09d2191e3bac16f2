interface Props {
  readonly value: string
  readonly change: (text: string) => void
}

export const ReasonInput = ({ value, change }: Props) => (
  <input
    aria-label="Reason"
    placeholder="Reason (optional)"
    value={value}
    onInput={({ currentTarget }) => change(currentTarget.value)}
  />
)

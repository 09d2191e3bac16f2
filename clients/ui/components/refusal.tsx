// Says why something is not shown or was not done; nothing where there is no reason: <Refusal text={failure} />
// Where a right is missing, it leads to the page that explains that.
const DENIAL = /^Permission denied: token with AccessorID/

export const Refusal = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p role="alert" class="refused">
      {text}
      {DENIAL.test(text) && (
        <>
          {' '}
          <a href={`/ui/explain?${new URLSearchParams({ denial: text })}`}>Why?</a>
        </>
      )}
    </p>
  )

// The reason of a failure, or nothing without one. A missing permission links to the page that explains it.
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

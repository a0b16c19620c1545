import{a,b}from"./part-FH7OMVHD.js";import"./part-C3JG54KO.js";import"./part-Q2BSHNBN.js";export{b as SignInCard,a as default};

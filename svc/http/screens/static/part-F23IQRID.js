import{a,b}from"./part-5MOEDYCT.js";import"./part-C5VO3I62.js";export{b as SignInCard,a as default};

import{a,b}from"./part-BM7QUIY4.js";import"./part-SJEUWPWI.js";export{b as SignInCard,a as default};

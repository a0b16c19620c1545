import{a,b}from"./part-JEBCTOB4.js";import"./part-72PFM37Y.js";export{b as SignInCard,a as default};
